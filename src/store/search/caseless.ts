/** Hangul, kana and ideographs, as a class of a regular expression: letters without case, of one UTF-16 unit each; without blanks one token of `messages_fts`. */
export const caselessClass = '[\\u3041-\\u3096\\u30a1-\\u30fa\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3]';
