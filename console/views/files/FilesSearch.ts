/** Which files are shown, in the URL. */

export const sources = ["upload", "output"] as const
export const types = ["image/*", "video/*", "audio/*", "text/*", "application/*"] as const

export interface FilesSearch {
  readonly source?: (typeof sources)[number]
  readonly contentType?: (typeof types)[number]
  /** The id of the file that is open. */
  readonly file?: string
}

const oneOf = <A extends string>(all: ReadonlyArray<A>, value: unknown): A | undefined =>
  all.find((one) => one === value)

export const parse = ({ contentType, file, source }: Readonly<Record<string, unknown>>): FilesSearch => {
  const found = {
    source: oneOf(sources, source),
    contentType: oneOf(types, contentType),
    file: typeof file === "string" && /^[\w-]{24}$/.test(file) ? file : undefined
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}
