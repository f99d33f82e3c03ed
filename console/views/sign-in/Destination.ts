/** The view that was asked for, while the browser is at the issuer of single sign-on, which leads back to one fixed page. */

const name = "inferlog-destination"

/** @param to a path below the console. */
export const keepDestination = (to: string | undefined): void => {
  if (to === undefined) sessionStorage.removeItem(name)
  else sessionStorage.setItem(name, to)
}

/** The path, once; only one below the console. */
export const takeDestination = (): string | null => {
  const to = sessionStorage.getItem(name)
  sessionStorage.removeItem(name)
  return to !== null && /^\/(?![/\\])/.test(to) ? to : null
}
