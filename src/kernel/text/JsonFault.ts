/**
 * Finds the place at which a text that `JSON.parse` refuses breaks JSON (RFC 8259), for messages about it. It reads the text
 * once, without recursion. Names of members are shown, values never.
 */

type Found =
  | "NaN"
  | "Infinity"
  | "-Infinity"
  | "a number that is too large"
  | "its end"
  | "more after its end"
  | "a character that JSON does not allow"

export interface JsonFault {
  readonly found: Found
  /** JSON pointer (RFC 6901) to the value, shortened. */
  readonly pointer: string
}

/** Characters of a name, and of a pointer, that are shown. */
const longestName = 64
const longestPointer = 200

const space = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literal = /true|false|null/y
/** Written by Python's `json.dumps` and some others. */
const notFinite = /NaN|-?Infinity/y

/** The values that contain the current one, each with the name or index of its current member. */
type Container =
  | { readonly isList: true; index: number }
  | { readonly isList: false; name: string; isInName: boolean }

const pointerOf = (containers: ReadonlyArray<Container>): string => {
  let pointer = ""
  for (const container of containers) {
    // Between members there is no current one.
    if (!container.isList && container.isInName) break
    const part = container.isList
      ? String(container.index)
      : container.name.slice(0, longestName).toWellFormed()
    pointer += `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (pointer.length > longestPointer) return `${pointer.slice(0, longestPointer).toWellFormed()}…`
  }
  return pointer
}

/** Position after a string that begins at `at`; -1 if it does not end. */
const endOfString = (text: string, at: number): number => {
  for (let index = at + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x22) return index + 1
    if (code === 0x5c) index++
  }
  return -1
}

class Search {
  readonly #text: string
  readonly #containers: Array<Container> = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** `null` if nothing breaks JSON as far as this reads it. */
  run(): JsonFault | null {
    while (true) {
      const fault = this.#value()
      if (fault !== null) return fault
      // After a value: closes what ends here, and goes on to the next value.
      const next = this.#afterValue()
      if (next !== "value") return next
    }
  }

  #fault(found: Found): JsonFault {
    return { found, pointer: pointerOf(this.#containers) }
  }

  #unexpected(): JsonFault {
    return this.#fault(this.#at >= this.#text.length ? "its end" : "a character that JSON does not allow")
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  /** The next character after blanks. */
  #next(): string {
    this.#match(space)
    return this.#text.charAt(this.#at)
  }

  /** Reads a scalar, or opens containers up to the first scalar or empty container. */
  #value(): JsonFault | null {
    while (true) {
      const character = this.#next()
      if (character === "[") {
        this.#at++
        this.#containers.push({ isList: true, index: 0 })
        if (this.#next() !== "]") continue
        this.#close()
        return null
      }
      if (character === "{") {
        this.#at++
        this.#containers.push({ isList: false, name: "", isInName: true })
        if (this.#next() === "}") {
          this.#close()
          return null
        }
        const fault = this.#name()
        if (fault !== null) return fault
        continue
      }
      return this.#scalar(character)
    }
  }

  #close(): void {
    this.#at++
    this.#containers.pop()
  }

  #name(): JsonFault | null {
    const container = this.#containers.at(-1)
    if (container === undefined || container.isList) return null
    container.isInName = true
    if (this.#next() !== '"') return this.#unexpected()
    const end = endOfString(this.#text, this.#at)
    if (end === -1) return this.#fault("its end")
    const name = this.#text.slice(this.#at + 1, end - 1)
    this.#at = end
    if (this.#next() !== ":") return this.#unexpected()
    this.#at++
    container.name = name
    container.isInName = false
    return null
  }

  #scalar(character: string): JsonFault | null {
    if (character === '"') {
      const end = endOfString(this.#text, this.#at)
      if (end === -1) return this.#fault("its end")
      const isValid = isString(this.#text.slice(this.#at, end))
      this.#at = end
      return isValid ? null : this.#fault("a character that JSON does not allow")
    }
    if (this.#match(literal) !== null) return null
    const constant = this.#match(notFinite)
    if (constant !== null) return this.#fault(constant as Found)
    const digits = this.#match(number)
    if (digits === null) return this.#unexpected()
    return Number.isFinite(Number(digits)) ? null : this.#fault("a number that is too large")
  }

  #afterValue(): JsonFault | "value" | null {
    while (true) {
      const container = this.#containers.at(-1)
      const character = this.#next()
      if (container === undefined) return character === "" ? null : this.#fault("more after its end")
      if (character === ",") {
        this.#at++
        if (container.isList) container.index++
        return container.isList ? "value" : (this.#name() ?? "value")
      }
      if (character !== (container.isList ? "]" : "}")) return this.#unexpected()
      this.#close()
    }
  }
}

const isString = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** `null` if the text is JSON of finite numbers. */
export const find = (text: string): JsonFault | null => new Search(text).run()

/** As a part of a sentence: `NaN at /output/score`. */
export const describe = ({ found, pointer }: JsonFault): string =>
  pointer === "" ? found : `${found} at ${pointer}`
