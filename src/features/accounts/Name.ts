/**
 * Names of accounts and keys: 1 to 100 characters, not only spaces, and no control characters, because they are shown
 * on terminals.
 */
export const isName = (text: string): boolean =>
  /^\P{Cc}{1,100}$/u.test(text) && /\S/.test(text) && text.isWellFormed()
