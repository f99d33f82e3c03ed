/** What can be run, with search and filters. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { apiQuery } from "#console/api/Queries.ts"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Button } from "#console/design/actions/Button.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import classes from "./Catalog.module.css"
import { CollectionModels } from "./CollectionModels.tsx"
import { type CatalogSearch, categories, longestQuery } from "./CatalogSearch.ts"
import { ModelList } from "./ModelList.tsx"

const route = getRouteApi("/shell/account/models")

/** Time without typing before the server is asked, ms. */
const settledMs = 250

const categoryChoices = [
  { value: "all", label: "All categories" },
  ...categories.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))
] as const

const statusChoices = [
  { value: "all", label: "All" },
  { value: "active", label: "Active" },
  { value: "deprecated", label: "Deprecated" }
] as const

const Collections = ({ chosen }: { readonly chosen: string | undefined }) => {
  const { data } = useQuery(apiQuery("listCollections", { query: { limit: "50" } }))
  if (data === undefined || data.data.length === 0) return null
  return (
    <nav aria-label="Collections" className={classes["collections"]}>
      <Link
        to="/models"
        className={classes["chip"]}
        {...(chosen === undefined && { "aria-current": "true" as const })}
        activeProps={{}}
      >
        All models
      </Link>
      {data.data.map(({ name, slug }) => (
        <Link
          key={slug}
          to="/models"
          search={{ collection: slug }}
          className={classes["chip"]}
          activeProps={{}}
          {...(chosen === slug && { "aria-current": "true" as const })}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

export const CatalogView = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useState(search.q ?? "")
  const change = (fields: { readonly [K in keyof CatalogSearch]: CatalogSearch[K] | undefined }) =>
    void navigate({
      search: (before) => {
        const { collection: _, ...rest } = { ...before, ...fields }
        return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
      },
      replace: true
    })

  useEffect(() => {
    if (text === (search.q ?? "")) return
    const timer = setTimeout(() => change({ q: text.trim() === "" ? undefined : text }), settledMs)
    return () => clearTimeout(timer)
    // A change of the URL ends the wait: what was typed before must not undo a link that was followed since.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- Only what is typed starts a search.
  }, [text, search.q])
  // Back and links change the URL.
  useEffect(() => setText(search.q ?? ""), [search.q])

  const clear = () => {
    setText("")
    change({ q: undefined, category: undefined, status: undefined })
  }
  return (
    <Page title="Models" lead="Choose a model to try it in the browser, with its price before each run.">
      <search className={classes["filters"]}>
        <TextField
          label="Search"
          type="search"
          value={text}
          onChange={setText}
          maxLength={longestQuery}
          placeholder="What should it do?"
        />
        <Select
          label="Category"
          choices={categoryChoices}
          value={search.category ?? "all"}
          onChange={(category) => change({ category: category === "all" ? undefined : category })}
        />
        <Select
          label="Status"
          choices={statusChoices}
          value={search.status ?? "all"}
          onChange={(status) => change({ status: status === "all" ? undefined : status })}
        />
      </search>
      <Collections chosen={search.collection} />
      {search.collection === undefined ? (
        <ModelList
          search={search}
          empty={
            <EmptyState title="No model matches" action={<Button onPress={clear}>Clear the filters</Button>}>
              Try fewer or other words. The search looks at names, tags, categories and descriptions.
            </EmptyState>
          }
        />
      ) : (
        <CollectionModels slug={search.collection} />
      )}
    </Page>
  )
}
