/** The current catalog, including withdrawn items, and every definition that a request may have been submitted against. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import {
  CollectionPublished,
  CollectionWithdrawn,
  DeploymentTemplatePublished,
  DeploymentTemplateWithdrawn,
  GpuPublished,
  GpuWithdrawn
} from "#domain/catalog/Listing.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import {
  ModelDeprecated,
  ModelPublished,
  ModelReactivated,
  ModelWithdrawn,
  WrapperPublished
} from "#domain/catalog/Offering.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf } from "#streams/StreamName.ts"
import { object, text } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"

/**
 * Names are unique within a `space`; models and wrappers share one. `changed` numbers the changes of the whole catalog, so
 * its maximum changes whenever the catalog does. `definition` is JSON, with schemas and examples in the
 * order of their manifest.
 */
const tables = `
  CREATE TABLE catalog_items (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    version TEXT,
    definition TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (space, name)
  ) STRICT;
  CREATE UNIQUE INDEX catalog_by_change ON catalog_items (changed);
  CREATE TABLE catalog_versions (
    endpoint TEXT NOT NULL,
    version TEXT NOT NULL,
    kind TEXT NOT NULL,
    definition TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    PRIMARY KEY (endpoint, version)
  ) STRICT;
`

type Space = "endpoint" | "collection" | "gpu" | "deployment-template"

/** An item's kind, and the field of the event that contains it. */
interface Published {
  readonly space: Space
  readonly kind: string
  readonly field: string
}

const nextChange = "(SELECT COALESCE(MAX(changed), 0) + 1 FROM catalog_items)"

export const projection: Projection = {
  name: "catalog",
  version: 1,
  categories: [Offering.aggregate, Listing.collections, Listing.gpus, Listing.deploymentTemplates].map(
    ({ category }) => category
  ),
  tables,
  open: (db) => {
    const put = db.prepare(`
      INSERT INTO catalog_items (space, name, kind, status, version, definition, created_at, updated_at, changed)
      VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ${nextChange})
      ON CONFLICT (space, name) DO UPDATE SET kind = excluded.kind, status = excluded.status,
        version = excluded.version, definition = excluded.definition, updated_at = excluded.updated_at,
        changed = excluded.changed`)
    const putVersion = db.prepare("INSERT OR IGNORE INTO catalog_versions VALUES (?, ?, ?, ?, ?)")
    const setStatus = db.prepare(`
      UPDATE catalog_items SET status = ?, updated_at = ?, changed = ${nextChange} WHERE space = ? AND name = ?`)

    const publish =
      ({ field, kind, space }: Published) =>
      (data: JsonObject, { stream, time }: RecordedEvent) => {
        const name = idOf(stream)
        const item = object(data, field)
        const definition = MemberOrder.write(item, data["texts"])
        const version = space === "endpoint" ? text(item, "version") : null
        put.run(space, name, kind, version, definition, time, time)
        if (version !== null) putVersion.run(name, version, kind, definition, time)
      }

    const changeStatus =
      (space: Space, status: "active" | "deprecated" | "withdrawn") =>
      ({ stream, time }: RecordedEvent) => {
        setStatus.run(status, time, space, idOf(stream))
      }

    const rules = [
      on(ModelPublished, publish({ space: "endpoint", kind: "model", field: "model" })),
      on(WrapperPublished, publish({ space: "endpoint", kind: "wrapper", field: "wrapper" })),
      onType(ModelDeprecated, changeStatus("endpoint", "deprecated")),
      onType(ModelReactivated, changeStatus("endpoint", "active")),
      onType(ModelWithdrawn, changeStatus("endpoint", "withdrawn")),
      on(CollectionPublished, publish({ space: "collection", kind: "collection", field: "collection" })),
      onType(CollectionWithdrawn, changeStatus("collection", "withdrawn")),
      on(GpuPublished, publish({ space: "gpu", kind: "gpu", field: "gpu" })),
      onType(GpuWithdrawn, changeStatus("gpu", "withdrawn")),
      on(
        DeploymentTemplatePublished,
        publish({ space: "deployment-template", kind: "deployment-template", field: "template" })
      ),
      onType(DeploymentTemplateWithdrawn, changeStatus("deployment-template", "withdrawn"))
    ]
    return { rules }
  }
}
