/** The table of keys. */
import { Money } from "#console/design/data/Money.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { Menu } from "#console/design/overlays/Menu.tsx"
import { type ApiKey, scopes, stateOf } from "./Keys.ts"
import classes from "./Keys.module.css"

const badges = {
  valid: null,
  revoked: <Badge>Revoked</Badge>,
  expired: <Badge kind="warning">Expired</Badge>
} as const

const Rights = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const isAll = apiKey.scopes.length === scopes.length
  return (
    <div className={classes["rights"]}>
      <span>{isAll ? "Everything" : apiKey.scopes.join(", ")}</span>
      {apiKey.modelEndpoints !== null && (
        <span className={classes["quiet"]}>Models: {apiKey.modelEndpoints.join(", ")}</span>
      )}
      {apiKey.origins !== null && (
        <span className={classes["quiet"]}>Pages of {apiKey.origins.join(", ")}</span>
      )}
    </div>
  )
}

/** `null`: never. */
const When = ({ at }: { readonly at: string | null }) => (
  <span className={classes["when"]}>{at === null ? "Never" : <Time at={at} form="relative" />}</span>
)

export const KeyTable = ({
  keys,
  onRevoke,
  onRotate,
  ownId
}: {
  readonly keys: ReadonlyArray<ApiKey>
  /** The key of this session. */
  readonly ownId: string
  readonly onRotate: (key: ApiKey) => void
  readonly onRevoke: (key: ApiKey) => void
}) => {
  const now = Date.now()
  const columns: ReadonlyArray<Column<ApiKey>> = [
    {
      id: "name",
      header: "Name",
      cell: (key) => (
        <Stack gap="half">
          <Row>
            <span className={classes["name"]}>{key.name}</span>
            {badges[stateOf(key, now)]}
            {key.id === ownId && <Badge kind="good">Yours now</Badge>}
          </Row>
          <Id id={key.id} what={`id of ${key.name}`} isShort />
        </Stack>
      )
    },
    { id: "rights", header: "May", cell: (key) => <Rights apiKey={key} /> },
    {
      id: "budget",
      header: "Budget a month",
      align: "end",
      cell: ({ monthlyBudget }) => (monthlyBudget === null ? "No limit" : <Money amount={monthlyBudget} />)
    },
    {
      id: "used",
      header: "Last used",
      cell: ({ lastUsedAt }) => <When at={lastUsedAt} />
    },
    {
      id: "created",
      header: "Created",
      cell: ({ createdAt, rotatedAt }) => (
        <Stack gap="half">
          <When at={createdAt} />
          {rotatedAt !== null && (
            <span className={classes["quiet"]}>
              rotated <Time at={rotatedAt} form="relative" />
            </span>
          )}
        </Stack>
      )
    },
    {
      id: "ends",
      header: "Ends",
      cell: ({ expiresAt, revokedAt }) => <When at={revokedAt ?? expiresAt} />
    },
    {
      id: "actions",
      header: "Actions",
      align: "end",
      cell: (key) =>
        stateOf(key, now) === "valid" ? (
          <Menu
            label={`Actions for ${key.name}`}
            trigger={<span aria-hidden>•••</span>}
            entries={[
              { id: "rotate", label: "Rotate secret", onAction: () => onRotate(key) },
              { id: "revoke", label: "Revoke", isDangerous: true, onAction: () => onRevoke(key) }
            ]}
          />
        ) : null
    }
  ]
  return <Table caption="Keys of the account" columns={columns} rows={keys} rowKey={({ id }) => id} />
}
