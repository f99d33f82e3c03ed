/** Makes what is made of an object when it is first asked for, and keeps it for as long as the object itself is there. */
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
