/**
 * The address that every example names: in the README, the API's documentation, its answers' examples and the code field. A migration
 * creates it, so it resolves in every registry. It has no owner, so nobody changes or retires it, and its code is never drawn.
 */
export const DEMO_CODE = "NG137748215";

/** In the place of an owner: whose the examples are that migrations put into every registry, this and those of the sandbox. */
export const NOBODY = "usr_nobody";
