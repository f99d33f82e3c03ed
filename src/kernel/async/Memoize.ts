/** Computes a value once per object and stores it for as long as the object lives. */
export const memoize = <A extends object, B extends object | string>(
  make: (item: A) => B
): ((item: A) => B) => {
  const made = new WeakMap<A, B>()
  return (item) => {
    const known = made.get(item)
    if (known !== undefined) return known
    const value = make(item)
    made.set(item, value)
    return value
  }
}
