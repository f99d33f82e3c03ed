/** The view that was asked for, while the browser is at the issuer of single sign-on, which leads back to one fixed page. */

/** A path below the console, and nothing else: not the address of another site. */
export const localPath = (text: unknown): string | undefined =>
  typeof text === "string" && /^\/(?![/\\])/.test(text) ? text : undefined

const name = "inferlog-destination"

/** @param to a path below the console. */
export const keepDestination = (to: string | undefined): void => {
  if (to === undefined) sessionStorage.removeItem(name)
  else sessionStorage.setItem(name, to)
}

/** The path, once; only one below the console. */
export const takeDestination = (): string | undefined => {
  const to = sessionStorage.getItem(name)
  sessionStorage.removeItem(name)
  return localPath(to)
}
