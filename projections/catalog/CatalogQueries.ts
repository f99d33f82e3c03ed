/** The statements of `CatalogRows`. */
import type { SqlClient } from "effect/sql/SqlClient"

export const changedAfter = (sql: SqlClient, change: number) => sql`
  SELECT kind, name, status, version, definition, created_at AS "createdAt", updated_at AS "updatedAt", changed
  FROM catalog_items WHERE changed > ${change} ORDER BY changed`

export const version = (
  sql: SqlClient,
  options: { readonly endpoint: string; readonly version: string }
) => sql`
  SELECT kind, definition FROM catalog_versions
  WHERE endpoint = ${options.endpoint} AND version = ${options.version}`
