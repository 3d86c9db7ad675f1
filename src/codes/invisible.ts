/**
 * What nobody sees in a text, as a part of a set in a regular expression with the flag `u`: white space of every kind (White_Space, which
 * holds the line breaks of word processors), format characters such as direction marks (Cf), and all else that Unicode says to ignore
 * where it cannot be shown (Default_Ignorable_Code_Point: variation selectors, fillers, joiners).
 */
export const INVISIBLE = String.raw`\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}`;
