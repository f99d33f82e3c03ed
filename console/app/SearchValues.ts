/** Values of the URL, which people may have edited by hand. */

/** A text that is not empty. Numbers of the URL are texts too. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const text = String(value).trim()
  return text === "" ? undefined : text
}

/** A text of this form. */
export const matching = (form: RegExp, value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && form.test(text) ? text : undefined
}

/** One of some words. */
export const among = <A extends string>(words: ReadonlyArray<A>, value: unknown): A | undefined =>
  words.find((word) => word === value)

/** Only the members that have a value, so that the URL stays short. */
export const given = <A extends Readonly<Record<string, unknown>>>(
  values: A
): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }
