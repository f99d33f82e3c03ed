/** What of the charges is shown. */
import { getRouteApi } from "@tanstack/react-router"
import { Button } from "#console/design/actions/Button.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Grid, Row } from "#console/design/layout/Stack.tsx"
import { useKeyNames } from "./KeyNames.ts"
import { granularities, granularityOf, rangeNames, ranges, type UsageSearch } from "./UsageSearch.ts"

const route = getRouteApi("/shell/account/usage")

export const ChargesFilter = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const nameOf = useKeyNames()
  const change = (changes: UsageSearch) => void navigate({ search: { ...search, ...changes }, replace: true })
  const without = (name: "model" | "key") => {
    const { [name]: _, ...rest } = search
    void navigate({ search: rest, replace: true })
  }
  const { group = "model", key, measure = "cost", model, range = "30d" } = search
  return (
    <>
      <Grid least="narrow">
        <Select
          label="Time"
          value={range}
          choices={ranges.map((value) => ({ value, label: rangeNames[value] }))}
          onChange={(range) => change({ range })}
        />
        <Select
          label="Per"
          value={granularityOf(search)}
          choices={granularities
            .filter((value) => value !== "hour" || (range !== "90d" && range !== "12m"))
            .map((value) => ({ value, label: { hour: "Hour", day: "Day", month: "Month" }[value] }))}
          onChange={(by) => change({ by })}
        />
        <Select
          label="By"
          value={group}
          choices={[
            { value: "model", label: "Model" },
            { value: "key", label: "Key" }
          ]}
          onChange={(group) => change({ group })}
        />
        <Select
          label="Show"
          value={measure}
          choices={[
            { value: "cost", label: "Cost" },
            { value: "requests", label: "Requests" }
          ]}
          onChange={(measure) => change({ measure })}
        />
      </Grid>
      {(model !== undefined || key !== undefined) && (
        <Row>
          {model !== undefined && (
            <Button
              size="small"
              onPress={() => without("model")}
              aria-label={`Show all models, not only ${model}`}
            >
              {model} ✕
            </Button>
          )}
          {key !== undefined && (
            <Button
              size="small"
              onPress={() => without("key")}
              aria-label={`Show all keys, not only ${nameOf(key)}`}
            >
              {nameOf(key)} ✕
            </Button>
          )}
        </Row>
      )}
    </>
  )
}
