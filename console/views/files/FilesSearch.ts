/** Which files are shown, in the URL. */
import { among, given, matching } from "#console/app/SearchValues.ts"

export const sources = ["upload", "output"] as const
export const types = ["image/*", "video/*", "audio/*", "text/*", "application/*"] as const

/** `file`: the id of the file that is open. */
export const parse = ({ contentType, file, source }: Readonly<Record<string, unknown>>) =>
  given({
    source: among(sources, source),
    contentType: among(types, contentType),
    file: matching(/^[\w-]{24}$/, file)
  })

export type FilesSearch = ReturnType<typeof parse>
