/** Freezes plain data, so that code which changes it throws. Cheaper than to compare with a copy. */
export const freeze = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map || value instanceof Set) throw new Error("Freezing protects no Map and no Set")
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
  return value
}
