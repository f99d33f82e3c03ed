/** How much the files of an account may take up. */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { QuotaExceeded } from "./FileErrors.ts"

export class StorageQuota extends Context.Service<
  StorageQuota,
  {
    /**
     * Fails when `bytes` more would be too many. Uploads at the same moment do not see each other: an account may get
     * above its quota by what it uploads at once. Outputs count, and are never refused.
     */
    require(
      accountId: AccountId,
      bytes: number
    ): Effect.Effect<void, QuotaExceeded | EventStoreError | SqlError>
  }
>()("inferlog/src/files/StorageQuota") {}
