/** Converts nodes of a YAML document to JSON values: no custom tags, limited aliases. */
import { type Document, isAlias, isCollection, isMap, isNode, isPair, isScalar, isSeq } from "yaml"
import * as Located from "./Located.ts"
import type { Path } from "./Diagnostic.ts"

const mostAliases = 100

/** `null` while its node is read, so that a value cannot contain itself. */
interface Anchored {
  located: Located.Located | null
}

const start = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)

const anchorOf = (node: unknown): string | undefined =>
  isScalar(node) || isCollection(node) ? node.anchor : undefined

/** Throws `Refused`; linear in the number of nodes. */
export const read = (document: Document, budget: Located.Budget): Located.Located => {
  const anchors = new Map<string, Anchored>()
  let aliases = 0

  const resolve = (name: string, at: number, path: Path): Located.Located => {
    const located = anchors.get(name)?.located ?? null
    if (located === null)
      throw new Located.Refused("Expected an anchor of this name before the alias", at, path)
    aliases += 1
    if (aliases > mostAliases) throw new Located.Refused(`Expected at most ${mostAliases} aliases`, at, path)
    Located.checkDepth(path.length, located.levels, at, path)
    budget.spend(located.size, at)
    return { ...located, at }
  }

  const list = (at: number, items: ReadonlyArray<unknown>, path: Path): Located.Located => {
    budget.spend({ values: 1, characters: 0 }, at)
    return Located.list(
      at,
      items.map((item, index) => value(item, [...path, index]))
    )
  }

  const object = (at: number, items: ReadonlyArray<unknown>, path: Path): Located.Located => {
    budget.spend({ values: 1, characters: 0 }, at)
    const members = new Map<string, Located.Located>()
    for (const pair of items) {
      if (!isPair(pair) || !isScalar(pair.key))
        throw new Located.Refused("Expected names that are text", at, path)
      const name = String(pair.key.value)
      const nameAt = start(pair.key)
      if (members.has(name)) throw new Located.Refused("Map keys must be unique", nameAt)
      budget.spend({ values: 0, characters: name.length }, nameAt)
      members.set(name, { ...value(pair.value, [...path, name]), at: nameAt })
    }
    return Located.object(at, members)
  }

  const plain = (found: unknown, source: string, at: number, path: Path): Located.Located => {
    if (found === null || typeof found === "string" || typeof found === "boolean") {
      return Located.scalar(found, source, at, budget)
    }
    if (typeof found === "number" && Number.isFinite(found)) return Located.scalar(found, source, at, budget)
    const message = `Expected a ${typeof found === "number" ? "number" : "value"} that JSON has`
    throw new Located.Refused(message, at, path)
  }

  const unnamed = (node: unknown, at: number, path: Path): Located.Located => {
    if (isMap(node)) return object(at, node.items, path)
    if (isSeq(node)) return list(at, node.items, path)
    return isScalar(node) ? plain(node.value, node.source ?? "", at, path) : plain(node, "", at, path)
  }

  const value = (node: unknown, path: Path): Located.Located => {
    const at = start(node)
    Located.checkDepth(path.length, 1, at, path)
    if (isAlias(node)) return resolve(node.source, at, path)
    const name = anchorOf(node)
    if (name === undefined) return unnamed(node, at, path)
    const anchored: Anchored = { located: null }
    anchors.set(name, anchored)
    anchored.located = unnamed(node, at, path)
    return anchored.located
  }

  return value(document.contents, [])
}
