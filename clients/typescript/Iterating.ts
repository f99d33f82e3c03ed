import type { Query } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { type CallOptions, CallScope } from "./Scope.ts"

/** An iterator that begins its call with the first `next`, and frees its connection when it is left, even while it waits. */
export const iterate = <A>(
  http: Http,
  options: CallOptions,
  body: (scope: CallScope) => AsyncGenerator<A>
): AsyncIterableIterator<A, undefined> => {
  const left = new Error("left")
  let scope: CallScope | undefined
  const values = (async function* (): AsyncGenerator<A, undefined> {
    scope = new CallScope(options, http.clock.now())
    try {
      scope.check()
      yield* body(scope)
    } catch (error) {
      if (error !== left) throw error
    } finally {
      scope.abort(left)
    }
  })()
  const iterator: AsyncIterableIterator<A, undefined> = {
    next: () => values.next(),
    return: () => {
      scope?.abort(left)
      return values.return(undefined)
    },
    [Symbol.asyncIterator]: () => iterator
  }
  return iterator
}

export interface AnyPage {
  readonly data: ReadonlyArray<unknown>
  readonly next: string | null
}
type ItemOf<Page> = Page extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

/** A list that the server gives in pages. Each iteration reads it anew. */
export interface Paged<Page extends AnyPage> extends AsyncIterable<ItemOf<Page>> {
  /** The same, page by page, with totals. */
  readonly pages: () => AsyncIterableIterator<Page, undefined>
}

/** The list at a path of the platform's host. */
export const paged = <Page extends AnyPage>(
  http: Http,
  path: string,
  query: Query,
  options: CallOptions = {}
): Paged<Page> => {
  async function* pages(scope: CallScope): AsyncGenerator<Page> {
    let asked = query
    while (true) {
      const page = await http.json<Page>({ path, query: asked }, scope)
      yield page
      if (page.next === null) return
      asked = { ...query, page: undefined, cursor: page.next }
    }
  }
  async function* items(scope: CallScope): AsyncGenerator<ItemOf<Page>> {
    for await (const { data } of pages(scope)) yield* data as ReadonlyArray<ItemOf<Page>>
  }
  return {
    pages: () => iterate(http, options, pages),
    [Symbol.asyncIterator]: () => iterate(http, options, items)
  }
}
