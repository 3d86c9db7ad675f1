import { createClient } from "address-registry/client";

const { REGISTRY = "", PHONE = "" } = process.env;
const client = createClient({ registry: REGISTRY });

const found = await client.resolve("NG-1377-48215");
console.log(found.locality, found.lat, found.lng);

await client.register({ phone: PHONE, password: "correct horse battery" });
const address = await client.create({ lat: 6.5244, lng: 3.3792, label: "Blue gate" });
console.log(address.display, address.qr_url);
