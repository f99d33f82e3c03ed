/** When each key was last used on this node, to the minute, in memory. A restart loses only uses that are reads. */
import { Context, Layer } from "effect"
import type { KeyId } from "#domain/Ids.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

export const minuteMs = 60_000

const mostKeys = 10_000

interface Used {
  readonly keyId: KeyId
  readonly lastUsedAt: number | null
}

export class KeyUse extends Context.Service<
  KeyUse,
  {
    /** @param now Unix time in ms. */
    readonly note: (keyId: KeyId, now: number) => void
    /** The minute, as Unix time in ms; `null` if this node has none. */
    readonly lastUsedAt: (keyId: KeyId) => number | null
    /** The key of a list, with the later of both times. */
    readonly withUse: <Item extends Used>(item: Item) => Item
  }
>()("inferlog/src/features/accounts/KeyUse") {
  static readonly layer = Layer.sync(KeyUse, () => {
    const minutes = RecentlyUsed.make<number>({ capacity: mostKeys })
    return KeyUse.of({
      note: (keyId, now) => minutes.set(keyId, now - (now % minuteMs)),
      lastUsedAt: (keyId) => minutes.get(keyId) ?? null,
      withUse: (item) => {
        const minute = minutes.get(item.keyId)
        return minute === undefined || minute <= (item.lastUsedAt ?? 0)
          ? item
          : { ...item, lastUsedAt: minute }
      }
    })
  })
}
