/** The texts of signals between nodes. A node ignores those that it does not know. */

const reset = "reset provider "

/** Asks all nodes to reset the provider. */
export const ofReset = (provider: string): string => `${reset}${provider}`

/** The provider that another node asks to reset; `null` for another signal. */
export const resetOf = (text: string): string | null =>
  text.startsWith(reset) ? text.slice(reset.length) : null
