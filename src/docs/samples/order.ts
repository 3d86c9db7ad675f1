import { createClient } from "address-registry/client";
import { deliveryOf } from "./checkout.ts";

const client = createClient({ registry: process.env.REGISTRY ?? "" });
const form = new FormData();
form.set("delivery", "ng 1377 48215");
console.log(await deliveryOf(client, form));
