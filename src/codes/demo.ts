/**
 * The address in every example: in the README, the API's documentation, its answers' examples and the code field. A migration creates
 * it, so it resolves in every registry. It has no owner, so nobody changes or retires it, and its code is never drawn for another
 * address.
 */
export const DEMO_CODE = "NG137748215";

/** Stands in for the owner of the examples that migrations put into every registry: this one and those of the sandbox. */
export const NOBODY = "usr_nobody";
