/** All SQL on addresses. */

export * from "./address-columns-store.ts";
export * from "./change-store.ts";
export * from "./closing-store.ts";
export * from "./code-store.ts";
export * from "./erasure-store.ts";
export * from "./history-store.ts";
export * from "./home-store.ts";
export * from "./issued-store.ts";
export * from "./list-store.ts";
export * from "./overflow-store.ts";
export * from "./unit-store.ts";
export * from "./visit-store.ts";
