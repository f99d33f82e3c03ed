/**
 * What accounts and keys are called: 1 to 100 characters, not all of them spaces, and none a control character, for they are
 * shown on terminals.
 */
export const isName = (text: string): boolean =>
  /^\P{Cc}{1,100}$/u.test(text) && /\S/.test(text) && text.isWellFormed()
