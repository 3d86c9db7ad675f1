/**
 * A zone that has opened a number of its country's free numbers may open another one while it has no more than one part in
 * this many of those that are left, or when no zone of the country has only its first number any more.
 */
export const FAIR_SHARE = 10;
