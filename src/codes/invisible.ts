/**
 * What takes no room in a text, as a part of a set in a regular expression with the flag `u`: format characters such as direction marks
 * (Cf), and all else that Unicode says to ignore where it cannot be shown (Default_Ignorable_Code_Point: variation selectors, fillers,
 * joiners).
 */
export const UNSEEN = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}`;

/**
 * What nobody sees in a text, likewise: that, and white space of every kind (White_Space, which holds the line breaks of word
 * processors).
 */
export const INVISIBLE = String.raw`\p{White_Space}${UNSEEN}`;
