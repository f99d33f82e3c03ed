/** What an output is made of, so that each part is shown as what it is: pictures, sound, film, files, texts, tables, figures. */
import * as JsonText from "#domain/JsonText.ts"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isList, isRecord, isScalar, type Scalar } from "./JsonShape.ts"
import * as MediaKind from "./MediaKind.ts"
import { canBeMarkdown, isMarkdown } from "./MarkdownText.ts"

/** A stored file of the output, as `media` of a request lists it. */
export interface StoredMedia {
  /** JSON pointer to its URL in the output. */
  readonly path: string
  readonly url: string
  readonly thumbnailUrl: string | null
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

export interface MediaPart {
  readonly kind: MediaKind.MediaKind
  readonly name: string | null
  readonly url: string
  readonly thumbnailUrl: string | null
  readonly contentType: string | null
  readonly size: number | null
  /** Pixels, where the output says them. */
  readonly width: number | null
  readonly height: number | null
}

export type Part =
  | MediaPart
  | {
      readonly kind: "text"
      readonly name: string | null
      readonly text: string
      readonly isMarkdown: boolean
    }
  | {
      readonly kind: "table"
      readonly name: string | null
      readonly columns: ReadonlyArray<string>
      readonly rows: ReadonlyArray<JsonObject>
    }
  | { readonly kind: "facts"; readonly entries: ReadonlyArray<readonly [name: string, value: Scalar]> }
  | { readonly kind: "json"; readonly name: string | null; readonly value: Json }

/** A JSON Schema, or a part of one. */
export type Schema = JsonObject

/** A text of one line that stands beside its name. */
const longestFact = 120

/** A table with more columns is easier to read as JSON. */
const mostColumns = 16

/** An object with more members is a dictionary, and easier to read as JSON. */
const mostMembers = 100

/** Levels of objects whose members are parts of their own. */
const deepest = 3

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1")

interface Place {
  readonly name: string | null
  readonly pointer: string
  readonly schema: Schema | null
  readonly depth: number
}

/** The schema of a member, without following references: schemas only sharpen what values show. */
const schemaOf = (schema: Schema | null, name: string | null): Schema | null => {
  const found =
    name === null
      ? schema?.["items"]
      : isRecord(schema?.["properties"])
        ? schema["properties"][name]
        : undefined
  return isRecord(found) ? found : null
}

/** The parts in the order of the output. @param media of the request; empty while it runs. */
export const of = (
  output: Json,
  schema: Schema | null,
  media: ReadonlyArray<StoredMedia>
): ReadonlyArray<Part> => {
  const byPath = new Map(media.map((item) => [item.path, item]))

  const mediaAt = (value: Json | undefined, { name, pointer, schema }: Place): MediaPart | null => {
    if (typeof value !== "string") return null
    const stored = byPath.get(pointer)
    const none = { name, width: null, height: null }
    if (stored !== undefined) {
      const { contentType, size, thumbnailUrl, url } = stored
      return { ...none, kind: MediaKind.ofType(contentType), url, thumbnailUrl, contentType, size }
    }
    const isDeclared = schema?.["format"] === "uri"
    const kind = MediaKind.ofUrl(value, isDeclared)
    return kind === null
      ? null
      : {
          ...none,
          kind,
          url: value,
          thumbnailUrl: null,
          contentType: MediaKind.typeOfData(value),
          size: null
        }
  }

  /** An object of a file's URL and what it says about the file. */
  const mediaOf = (value: Json, place: Place): MediaPart | null => {
    if (!isRecord(value)) return mediaAt(value, place)
    if (!Object.values(value).every(isScalar)) return null
    const found = Object.keys(value).flatMap((name) => mediaAt(value[name], memberOf(place, name)) ?? [])
    const [part] = found
    if (part === undefined || found.length > 1) return null
    const type = value["contentType"] ?? value["content_type"] ?? value["mimeType"]
    const contentType = part.contentType ?? (typeof type === "string" ? type : null)
    return {
      ...part,
      name: place.name,
      contentType,
      kind: part.kind === "file" && contentType !== null ? MediaKind.ofType(contentType) : part.kind,
      width: numberOr(value["width"]),
      height: numberOr(value["height"]),
      size: part.size ?? numberOr(value["size"])
    }
  }

  const memberOf = ({ depth, pointer, schema }: Place, name: string): Place => ({
    name,
    pointer: `${pointer}/${escaped(name)}`,
    schema: schemaOf(schema, name),
    depth: depth + 1
  })

  const listParts = (value: ReadonlyArray<Json>, place: Place): ReadonlyArray<Part> => {
    const files = value.map((item, index) =>
      mediaOf(item, {
        ...place,
        pointer: `${place.pointer}/${index}`,
        schema: schemaOf(place.schema, null),
        depth: place.depth + 1
      })
    )
    const shown = files.filter((file) => file !== null)
    if (shown.length > 0 && shown.length === value.length) {
      return shown.map((file, index) => ({
        ...file,
        name: value.length === 1 ? place.name : `${place.name ?? "File"} ${index + 1}`
      }))
    }
    return [tableOf(value, place.name) ?? { kind: "json", name: place.name, value }]
  }

  const recordParts = (value: JsonObject, place: Place): ReadonlyArray<Part> => {
    const file = mediaOf(value, place)
    if (file !== null) return [file]
    const said = completionTexts(value)
    if (said.length > 0) {
      return said.map((text, index) => textPart(text, null, said.length === 1 ? null : `Choice ${index + 1}`))
    }
    if (place.depth >= deepest || Object.keys(value).length > mostMembers)
      return [{ kind: "json", name: place.name, value }]
    const parts: Array<Part> = []
    const facts: Array<readonly [string, Scalar]> = []
    for (const { name, scalar, value: member } of JsonText.entries(value)) {
      const at = memberOf(place, name)
      if (isFact(member) && mediaAt(member, at) === null) facts.push([name, exact(member, scalar)])
      else parts.push(...partsOf(member, at))
    }
    if (facts.length === 0) return parts
    // What is made first, then its figures, then what is long.
    const isLong = ({ kind }: Part) => kind === "table" || kind === "json"
    return [
      ...parts.filter((part) => !isLong(part)),
      { kind: "facts", entries: facts },
      ...parts.filter(isLong)
    ]
  }

  const partsOf = (value: Json, place: Place): ReadonlyArray<Part> => {
    const file = mediaAt(value, place)
    if (file !== null) return [file]
    if (typeof value === "string") return [textPart(value, place.schema, place.name)]
    if (isList(value) && value.length > 0) return listParts(value, place)
    if (isRecord(value) && Object.keys(value).length > 0) return recordParts(value, place)
    return [{ kind: "json", name: place.name, value }]
  }

  return partsOf(output, { name: null, pointer: "", schema, depth: 0 })
}

const numberOr = (value: Json | undefined): number | null => (typeof value === "number" ? value : null)

const isFact = (value: Json): value is Scalar =>
  isScalar(value) && (typeof value !== "string" || (value.length <= longestFact && !value.includes("\n")))

/** A number in the digits of its text, if JavaScript would show others. */
const exact = (value: Scalar, text: string | null): Scalar =>
  typeof value === "number" && text !== null && text !== String(value) ? text : value

const textPart = (text: string, schema: Schema | null, name: string | null): Part => ({
  kind: "text",
  name,
  text,
  isMarkdown: (schema?.["contentMediaType"] === "text/markdown" && canBeMarkdown(text)) || isMarkdown(text)
})

/** A row whose objects, such as a box, are columns of their own; `null` if it is deeper. */
const flat = (row: JsonObject): JsonObject | null => {
  const cells: Record<string, Json> = {}
  for (const entry of JsonText.entries(row)) {
    const { name, value } = entry
    const inner = isRecord(value)
      ? JsonText.entries(value).map((cell) => ({ ...cell, name: `${name}.${cell.name}` }))
      : [entry]
    for (const { name: column, scalar, value: cell } of inner) {
      if (!isScalar(cell)) return null
      cells[column] = exact(cell, scalar)
    }
  }
  return cells
}

const tableOf = (value: ReadonlyArray<Json>, name: string | null): Part | null => {
  const columns = new Set<string>()
  const rows: Array<JsonObject> = []
  for (const item of JsonText.items(value)) {
    const row = isRecord(item) ? flat(item) : null
    if (row === null) return null
    for (const column of Object.keys(row)) columns.add(column)
    if (columns.size > mostColumns) return null
    rows.push(row)
  }
  return columns.size === 0 ? null : { kind: "table", name, columns: [...columns], rows }
}

/** What a completion of OpenAI's API says, one text for each choice; empty for any other output. */
const completionTexts = ({ choices }: JsonObject): ReadonlyArray<string> => {
  if (!isList(choices) || choices.length === 0) return []
  const texts = choices.flatMap((choice) => {
    if (!isRecord(choice)) return []
    const said = isRecord(choice["message"]) ? choice["message"]["content"] : choice["text"]
    return typeof said === "string" ? [said] : []
  })
  return texts.length === choices.length ? texts : []
}
