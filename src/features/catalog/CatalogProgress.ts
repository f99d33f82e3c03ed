/** How far this node's catalog is. */
import { Context, Effect, Layer } from "effect"

export class CatalogProgress extends Context.Service<
  CatalogProgress,
  {
    /**
     * Waits until `Catalog` and `CatalogContents` show what is on the log by now, at most 10 s. What it waited for in vain
     * is logged, and shown later.
     */
    readonly caughtUp: Effect.Effect<void>
  }
>()("inferlog/src/features/catalog/CatalogProgress") {
  /** Of a catalog that never changes. */
  static readonly layerStatic = Layer.succeed(CatalogProgress, { caughtUp: Effect.void })
}
