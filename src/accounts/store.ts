/** All SQL on accounts: users and passwords, phones and proofs, sessions and refresh tokens. */
export * from "./phone-pending-store.ts";
export * from "./phone-store.ts";
export * from "./session-store.ts";
export * from "./user-store.ts";
