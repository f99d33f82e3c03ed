/** The fields of the filters. What they hold is in the URL at once. */
import { useNavigate } from "@tanstack/react-router"
import { type SyntheticEvent, useEffect, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { statusWord } from "../StatusBadge.tsx"
import * as Filter from "./Filter.ts"
import classes from "./List.module.css"

type Change = (filter: Filter.Filter) => void

const all = { value: "ALL", label: "All" } as const
const statusChoices = [all, ...Filter.statuses.map((value) => ({ value, label: statusWord(value) }))]

/** A field whose text counts when Enter is pressed or the field is left. */
const Entry = ({
  label,
  onEnter,
  refusal,
  value,
  ...rest
}: {
  readonly label: string
  readonly value: string
  readonly onEnter: (text: string) => void
  /** Why a text is wrong; `null` if it is not. */
  readonly refusal?: (text: string) => string | null
  readonly placeholder?: string
  readonly type?: string
}) => {
  const [text, setText] = useState(value)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => setText(value), [value])
  const enter = (event?: SyntheticEvent) => {
    event?.preventDefault()
    const wrong = text === "" ? null : (refusal?.(text) ?? null)
    setError(wrong)
    if (wrong !== null || text === value) return
    onEnter(text)
    // The field shows `value` again, unless the new one comes.
    setText(value)
  }
  return (
    <form onSubmit={enter} className={classes["entry"]}>
      <TextField
        {...rest}
        label={label}
        value={text}
        onChange={setText}
        onBlur={() => enter()}
        error={error}
        autoComplete="off"
      />
    </form>
  )
}

/** The filter without what is `undefined`. */
const set = (filter: Filter.Filter, changed: Readonly<Record<string, string | undefined>>): Filter.Filter =>
  Filter.parse({ ...filter, ...changed })

const MetadataPairs = ({
  filter,
  onChange
}: {
  readonly filter: Filter.Filter
  readonly onChange: Change
}) => {
  const pairs = Filter.metadataOf(filter)
  if (pairs.length === 0) return null
  return (
    <Row gap="half">
      {pairs.map(([key, value]) => (
        <Button
          key={key}
          size="small"
          aria-label={`Remove the filter ${key}=${value}`}
          onPress={() => onChange(set(filter, { [`metadata.${key}`]: undefined }))}
        >
          <code>
            {key}={value}
          </code>
          <span aria-hidden>✕</span>
        </Button>
      ))}
    </Row>
  )
}

export const FilterBar = ({
  filter,
  onChange
}: {
  readonly filter: Filter.Filter
  readonly onChange: Change
}) => {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const count = Filter.countOf(filter)
  return (
    <search className={classes["filters"]}>
      <div className={classes["opener"]}>
        <Button onPress={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {count === 0 ? "Filters" : `Filters (${count})`}
        </Button>
      </div>
      <div className={classes["fields"]} data-open={isOpen}>
        <Select
          label="Status"
          choices={statusChoices}
          value={filter.status ?? all.value}
          onChange={(status) => onChange(set(filter, { status: status === all.value ? undefined : status }))}
        />
        <Entry
          label="Model"
          placeholder="owner/name"
          value={filter.modelEndpoint ?? ""}
          refusal={(text) => (/^[^/\s]+\/[^/\s]+$/.test(text) ? null : "Enter it as owner/name.")}
          onEnter={(modelEndpoint) => onChange(set(filter, { modelEndpoint }))}
        />
        <Entry
          label="Created after"
          type="datetime-local"
          value={Filter.localOf(filter.createdAfter)}
          onEnter={(text) => onChange(set(filter, { createdAfter: Filter.timeOfLocal(text) }))}
        />
        <Entry
          label="Created before"
          type="datetime-local"
          value={Filter.localOf(filter.createdBefore)}
          onEnter={(text) => onChange(set(filter, { createdBefore: Filter.timeOfLocal(text) }))}
        />
        <Entry
          label="Metadata"
          placeholder="key=value"
          value=""
          refusal={(text) => {
            if (Filter.pairOf(text) === null) return "Enter it as key=value."
            const isFull = Filter.metadataOf(filter).length >= Filter.mostMetadata
            return isFull ? `Remove one first: at most ${Filter.mostMetadata}.` : null
          }}
          onEnter={(text) => {
            const pair = Filter.pairOf(text)
            if (pair !== null) onChange(set(filter, { [`metadata.${pair[0]}`]: pair[1] }))
          }}
        />
        <Entry
          label="Request id"
          placeholder="rq…"
          value=""
          refusal={(text) => (Filter.isRequestId(text.trim()) ? null : "A request id has 21 characters.")}
          onEnter={(text) =>
            void navigate({ to: "/requests/$requestId", params: { requestId: text.trim() } })
          }
        />
      </div>
      <Row>
        <MetadataPairs filter={filter} onChange={onChange} />
        {count > 0 && (
          <Button kind="quiet" size="small" onPress={() => onChange({})}>
            Clear filters
          </Button>
        )}
      </Row>
    </search>
  )
}
