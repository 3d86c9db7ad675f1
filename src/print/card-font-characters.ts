/**
 * The characters of card-font.bin, in its order. Both are written by .dev/card-font.ts from Noto Sans. Copyright 2022 The Noto Project
 * Authors (https://github.com/notofonts/latin-greek-cyrillic), licensed under the SIL Open Font License, Version 1.1
 * (https://openfontlicense.org).
 */
export const CARD_FONT_CHARACTERS =
	"0123456789 !\"#$%&'()*+,-./:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~̧̨̣̤̥̦̭̮̯̰̱̀́̂̃̄̆̇̈̉̊̋̌‐‑‒–—―‘’‚‛“”„¡£©«°²³·»¿ÆÐØÞßæðøþĐđĦħıŁłŊŋŒœƁɓƊɗƉɖƎǝƏəƐɛƑƒƔɣƖɩƘƙƝɲƆɔƟɵƱʊƲʋƳƴƠơƯưŦŧʻʼ…‹›€₦₵₣";
