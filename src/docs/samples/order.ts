import { createClient } from "address-registry/client";
import { deliveryOf } from "./checkout.ts";

const client = createClient({ registry: process.env.REGISTRY ?? "" });
const form = new FormData();
form.set("delivery", process.argv[2] ?? "ng 1377 48215 / 3B");
const delivery = await deliveryOf(client, form);
console.log(JSON.stringify(delivery));
if (delivery.refused) process.exitCode = 1;
