/** Names of types, functions and fields: identifiers of both languages, each once. */

/** `vision/ocr` → `VisionOcr`. Never empty, and never begins with a digit. */
export const pascal = (text: string): string => {
  const words = text
    .normalize("NFKD")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const name = words.join("")
  if (name === "") return "Unnamed"
  return /^\d/.test(name) ? `N${name}` : name
}

/** `vision/ocr` → `visionOcr` */
export const camel = (text: string): string => {
  const name = pascal(text)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** `vision/remove-background` → `vision_remove_background` */
export const snake = (text: string): string => {
  const name = text
    .normalize("NFKD")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase()
  if (name === "") return "unnamed"
  return /^\d/.test(name) ? `n${name}` : name
}

/** Gives each caller a unique name: the requested one, or the requested one with the first free number. */
export class Names {
  readonly #taken: Set<string>

  /** @param reserved names that are not given out */
  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved)
  }

  take(wish: string): string {
    let name = wish
    for (let number = 2; this.#taken.has(name); number++) name = `${wish}${number}`
    this.#taken.add(name)
    return name
  }
}
