/** Files of the account that parts of an input name by their id (`input_image` and `input_file`). A chat gets their URLs instead. */
import { Effect } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as FileIds from "../files/FileIds.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

/** URLs by the id of the file. */
export type Files = ReadonlyMap<string, string>

/** Files that one call may name. */
const mostFiles = 256

interface Part {
  /** Where it is in the body. */
  readonly place: string
  readonly part: JsonObject
}

const partsOf = (list: Json | undefined, place: string): ReadonlyArray<Part> =>
  (isList(list) ? list : []).flatMap((part, index) =>
    isObject(part) ? [{ place: `${place}[${index}]`, part }] : []
  )

/** All parts of contents and of answers of tools. */
const partsIn = (input: Json | undefined): ReadonlyArray<Part> =>
  partsOf(input, "input").flatMap(({ part: item, place }) => [
    ...partsOf(item["content"], `${place}.content`),
    ...partsOf(item["output"], `${place}.output`)
  ])

/** By the type of a part: the members of which it needs one. */
const sources: ReadonlyMap<Json | undefined, ReadonlyArray<string>> = new Map([
  ["input_image", ["image_url", "file_id"]],
  ["input_file", ["file_data", "file_url", "file_id"]]
])

const isGiven = (value: Json | undefined): value is string => typeof value === "string" && value !== ""

export const make = Effect.map(AssetLibrary, (library) =>
  /** Fails with 400 for a part without a file, and with 404 for a file that the account does not have. */
  Effect.fnUntraced(function* (caller: Caller, input: Json | undefined) {
    const files = new Map<string, string>()
    for (const { part, place } of partsIn(input)) {
      const members = sources.get(part["type"])
      if (members === undefined) continue
      if (!members.some((name) => isGiven(part[name])))
        return yield* OpenaiErrors.invalid(`${place} needs one of ${members.join(", ")}.`, place)
      const { file_id: id } = part
      if (!isGiven(id) || files.has(id)) continue
      const param = `${place}.file_id`
      if (files.size === mostFiles)
        return yield* OpenaiErrors.invalid(`input names more than ${mostFiles} files.`, param)
      const file = yield* Effect.catchTag(
        library.get({ caller, id: FileIds.idOf(id) }),
        ["FileNotFound", "FileGone"],
        () => OpenaiErrors.notFound("No such File object.", param)
      )
      files.set(id, file.url)
    }
    return files satisfies Files
  })
)
