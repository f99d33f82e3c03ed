/** Makes a value at its first use and stores it. If `make` throws, the next use tries again. */
export const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
