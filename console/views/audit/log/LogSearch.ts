/** The URL of the log: an earlier anchor to compare with. */
import { given, textOf } from "#console/app/SearchValues.ts"

export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({ expect: textOf(search["expect"]) })

/** `<position>:<digest>` */
export const isAnchor = (text: string): boolean => /^\d{1,19}(\.\d{1,9})?:[A-Za-z0-9_-]{43}$/.test(text)
