/** The filters of the list, as the URL has them: the parameters of `GET /requests`, of which unknown values are left out. */

export const statuses = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"] as const
export type Status = (typeof statuses)[number]

/** `metadata.<key>`, at most four of them. */
type Metadata = Readonly<Record<`metadata.${string}`, string>>

export interface Filter extends Metadata {
  readonly [name: `metadata.${string}`]: string
  readonly status?: Status
  readonly modelEndpoint?: string
  /** ISO 8601 with an offset, or a date. */
  readonly createdAfter?: string
  readonly createdBefore?: string
}

export const mostMetadata = 4

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined

const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** The filter that a URL names. */
export const parse = (search: Readonly<Record<string, unknown>>): Filter => {
  const status = statuses.find((status) => status === search["status"])
  const modelEndpoint = textOf(search["modelEndpoint"])
  const createdAfter = timeOf(search["createdAfter"])
  const createdBefore = timeOf(search["createdBefore"])
  const metadata = Object.entries(search).flatMap(([name, value]) => {
    const text = textOf(value)
    return name.startsWith("metadata.") && name.length > 9 && text !== undefined
      ? [[name, text] as const]
      : []
  })
  return {
    ...(status !== undefined && { status }),
    ...(modelEndpoint !== undefined && modelEndpoint !== "" && { modelEndpoint }),
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
    ...Object.fromEntries(metadata.slice(0, mostMetadata))
  }
}

/** The pairs of `metadata`. */
export const metadataOf = (filter: Filter): ReadonlyArray<readonly [key: string, value: string]> =>
  Object.entries(filter).flatMap(([name, value]) =>
    name.startsWith("metadata.") ? [[name.slice(9), String(value)] as const] : []
  )

/** A pair from a text such as `order=4711`; `null` for other texts. */
export const pairOf = (text: string): readonly [key: string, value: string] | null => {
  const [, key = "", value = ""] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(text) ?? []
  return key === "" ? null : [key, value]
}

export const countOf = (filter: Filter): number => Object.keys(filter).length

/** Requests have ids of 21 characters. */
export const isRequestId = (text: string): boolean => /^[\w-]{21}$/.test(text)

/** The value of a field for a local time, from a time with an offset. */
export const localOf = (time: string | undefined): string => {
  if (time === undefined) return ""
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time with an offset, from the value of such a field. */
export const timeOfLocal = (local: string): string | undefined => {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
