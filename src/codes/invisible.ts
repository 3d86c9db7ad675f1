/**
 * Characters that take no room in a text, for use within a character class of a regular expression with the flag `u`: format characters
 * such as direction marks (Cf), and all others that Unicode says to ignore where they cannot be shown (Default_Ignorable_Code_Point:
 * variation selectors, fillers, joiners).
 */
export const UNSEEN = String.raw`\p{Cf}\p{DI}`;

/**
 * All characters that nobody sees in a text, for the same use: those above, and white space of every kind (White_Space, which includes
 * the line breaks of word processors).
 */
export const INVISIBLE = String.raw`\p{space}${UNSEEN}`;
