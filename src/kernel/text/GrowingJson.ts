/**
 * A JSON value that grows part by part, such as a model's answer in the deltas of a stream: members of objects grow each for itself,
 * texts join, lists append, items of a list with the same `index` grow together, and of other scalars the last one counts. `null` and
 * the empty text replace nothing.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as GrowingText from "./GrowingText.ts"

export interface Rules {
  /** Whether texts of the member join. Of others the last one counts. */
  readonly joins: (member: string) => boolean
  /** Whether a list may be told again as a whole, with more items or without. It then replaces the earlier one. */
  readonly repeatsLists: boolean
}

export interface GrowingJson {
  /** @param except members of `more` that are left out. */
  readonly add: (more: JsonObject, except?: ReadonlySet<string>) => void
  readonly get: (member: string) => Json | undefined
  /** Members in the order in which they first came. */
  readonly json: () => JsonObject
}

class Text {
  readonly text = GrowingText.make()
}

class Items {
  readonly items: Array<Part> = []
  /** Of the items that have an `index`, by it. */
  readonly places = new Map<number, number>()
}

class Members {
  readonly members = new Map<string, Part>()
}

const nothing: ReadonlySet<string> = new Set()

/** What came once is kept as it is until there is more of it. */
type Part = Json | Text | Items | Members

type Grown = Text | Items | Members

const isGrown = (part: Part | undefined): part is Grown =>
  part instanceof Text || part instanceof Items || part instanceof Members

const isNothing = (part: Part | undefined): boolean => part === undefined || part === null || part === ""

const jsonOf = (part: Part): Json => {
  if (part instanceof Text) return part.text.text()
  if (part instanceof Items) return part.items.map(jsonOf)
  if (part instanceof Members) return jsonOfMembers(part)
  return part
}

const jsonOfMembers = ({ members }: Members): JsonObject =>
  Object.fromEntries(Array.from(members, ([name, part]) => [name, jsonOf(part)]))

const indexOf = (item: Json): number | undefined => {
  const index = isObject(item) ? item["index"] : undefined
  return typeof index === "number" && Number.isInteger(index) ? index : undefined
}

const isSame = (part: Part, json: Json | undefined): boolean =>
  JSON.stringify(jsonOf(part)) === JSON.stringify(json)

/** Servers whose content is a list in some deltas and a text in others mean parts of type `text`. */
const textPart = (text: string): JsonObject => ({ type: "text", text })

const membersOf = (json: JsonObject): Members => {
  const grown = new Members()
  for (const [name, value] of Object.entries(json)) grown.members.set(name, value)
  return grown
}

export const make = (rules: Rules): GrowingJson => {
  const withText = (known: Part | undefined, text: string, name: string): Part => {
    if (text === "") return known ?? text
    if (!rules.joins(name)) return text
    if (known instanceof Items || (!isGrown(known) && isList(known)))
      return withTextPart(itemsOf(known), text)
    const grown = known instanceof Text ? known : new Text()
    if (typeof known === "string") grown.text.add(known)
    grown.text.add(text)
    return grown
  }

  const withTextPart = (known: Items, text: string): Items => {
    const last = known.items.at(-1)
    if (last instanceof Members && last.members.get("type") === "text")
      last.members.set("text", withText(last.members.get("text"), text, "text"))
    else known.items.push(membersOf(textPart(text)))
    return known
  }

  const itemsOf = (known: Part | undefined): Items => {
    if (known instanceof Items) return known
    const grown = new Items()
    if (known instanceof Text) grown.items.push(membersOf(textPart(known.text.text())))
    else if (isGrown(known)) return grown
    else if (typeof known === "string" && known !== "") grown.items.push(membersOf(textPart(known)))
    else if (isList(known)) known.forEach((item) => addItem(grown, item))
    return grown
  }

  const addItem = ({ items, places }: Items, item: Json) => {
    const index = indexOf(item)
    const place = index === undefined ? undefined : places.get(index)
    if (place !== undefined) items[place] = withMore(items[place], item, "")
    else {
      if (index !== undefined) places.set(index, items.length)
      items.push(item)
    }
  }

  const repeats = (known: Part | undefined, list: ReadonlyArray<Json>): boolean => {
    const { items } = itemsOf(known)
    return items.length <= list.length && items.every((item, place) => isSame(item, list[place]))
  }

  const withList = (known: Part | undefined, list: ReadonlyArray<Json>): Part => {
    if (known === undefined || isNothing(known) || (rules.repeatsLists && repeats(known, list))) return list
    if (list.length === 0) return known
    const grown = itemsOf(known)
    list.forEach((item) => addItem(grown, item))
    return grown
  }

  const withMembers = (known: Part | undefined, more: JsonObject): Part => {
    const grown = !isGrown(known) && isObject(known) ? membersOf(known) : known
    if (!(grown instanceof Members)) return more
    addTo(grown, more)
    return grown
  }

  const withMore = (known: Part | undefined, more: Json, name: string): Part => {
    if (more === null) return known ?? null
    if (typeof more === "string") return withText(known, more, name)
    if (isList(more)) return withList(known, more)
    return isObject(more) ? withMembers(known, more) : more
  }

  const addTo = ({ members }: Members, more: JsonObject, except: ReadonlySet<string> = nothing) => {
    for (const [name, value] of Object.entries(more)) {
      if (except.has(name)) continue
      const known = members.get(name)
      const grown = withMore(known, value, name)
      if (grown !== known) members.set(name, grown)
    }
  }

  const whole = new Members()
  return {
    add: (more, except) => addTo(whole, more, except),
    get: (member) => {
      const part = whole.members.get(member)
      return part === undefined ? undefined : jsonOf(part)
    },
    json: () => jsonOfMembers(whole)
  }
}
