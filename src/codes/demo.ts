/**
 * The address that every example names: in the README, the API's documentation, its answers' examples and the code field. A migration
 * creates it, so it resolves in every registry. It has no owner, so nobody changes or retires it, and its code is never drawn.
 */
export const DEMO_CODE = "NG137748215";
