/** Names of accounts and keys: 1 to 100 characters, not only spaces, no control characters (terminals show them). */
export const isName = (text: string): boolean =>
  /^\P{Cc}{1,100}$/u.test(text) && /\S/.test(text) && text.isWellFormed()
