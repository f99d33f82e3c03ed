/** How far this node's catalog has followed the log. */
import { Context, Effect, Layer } from "effect"

export class CatalogProgress extends Context.Service<
  CatalogProgress,
  {
    /** Waits at most 10 s until `Catalog` and `CatalogContents` show the current end of the log. A timeout is logged. */
    readonly caughtUp: Effect.Effect<void>
  }
>()("inferlog/src/features/catalog/CatalogProgress") {
  /** For a catalog that never changes. */
  static readonly layerStatic = Layer.succeed(CatalogProgress, { caughtUp: Effect.void })
}
