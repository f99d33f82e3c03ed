/** The names of classes that apply, as one attribute. */
export const classNames = (...names: ReadonlyArray<string | false | null | undefined>): string =>
  names.filter((name) => typeof name === "string" && name !== "").join(" ")
