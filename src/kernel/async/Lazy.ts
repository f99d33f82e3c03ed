/** Makes a value when it is first needed, and keeps it. What fails to be made is tried again. */
export const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
