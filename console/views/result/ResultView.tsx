/** An output, each part shown as what it is, and the whole as JSON. */
import { CatchBoundary } from "@tanstack/react-router"
import { lazy, Suspense, useMemo, useState } from "react"
import type { Json as JsonValue } from "#domain/CanonicalJson.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import { Gallery } from "./Gallery.tsx"
import { MediaView } from "./MediaView.tsx"
import classes from "./Result.module.css"
import * as ResultParts from "./ResultParts.ts"
import { TableView } from "./TableView.tsx"
import { TextView } from "./TextView.tsx"

const MarkdownView = lazy(() => import("./MarkdownView.tsx"))

export interface ResultViewProps {
  readonly output: JsonValue
  /** The text of an output that cannot remember it. */
  readonly scalar?: string | null
  /** Of the model's output, if it is known. */
  readonly schema?: ResultParts.Schema | null
  /** The stored files of the output (`media` of the request). */
  readonly media?: ReadonlyArray<ResultParts.StoredMedia>
}

type Group =
  | ResultParts.Part
  | { readonly kind: "gallery"; readonly pictures: ReadonlyArray<ResultParts.MediaPart> }

const isPicture = (part: ResultParts.Part): part is ResultParts.MediaPart => part.kind === "image"

/** Pictures that follow each other stand in one gallery. */
const grouped = (parts: ReadonlyArray<ResultParts.Part>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  let pictures: Array<ResultParts.MediaPart> | null = null
  for (const part of parts) {
    if (!isPicture(part)) {
      groups.push(part)
      pictures = null
    } else if (pictures === null) {
      pictures = [part]
      groups.push({ kind: "gallery", pictures })
    } else pictures.push(part)
  }
  return groups
}

const nameOf = (part: Group): string | null => ("name" in part ? part.name : null)

const Part = ({ part }: { readonly part: Group }) => {
  switch (part.kind) {
    case "gallery":
      return <Gallery pictures={part.pictures} />
    case "text":
      return part.isMarkdown ? (
        // A text of a model may be more than the layout can take.
        <CatchBoundary getResetKey={() => part.text} errorComponent={() => <TextView text={part.text} />}>
          <Suspense fallback={<TextView text={part.text} />}>
            <MarkdownView text={part.text} />
          </Suspense>
        </CatchBoundary>
      ) : (
        <TextView text={part.text} />
      )
    case "table":
      return <TableView columns={part.columns} rows={part.rows} caption={part.name ?? "Result"} />
    case "facts":
      return <Facts facts={part.entries.map(([name, value]) => ({ name, value: String(value) }))} />
    case "json":
      return <Json value={part.value} label={part.name ?? "Result"} />
    default:
      return <MediaView part={part} />
  }
}

/** Parts that are shown at once, and with each step more. */
const step = 50

const Parts = ({ parts }: { readonly parts: ReadonlyArray<Group> }) => {
  const [count, setCount] = useState(step)
  return (
    <Stack gap={2}>
      {parts.slice(0, count).map((part, index) => {
        const name = nameOf(part)
        // The parts of an output keep their order.
        return (
          <div key={index} className={classes["part"]}>
            {name !== null && parts.length > 1 && <h3 className={classes["name"]}>{name}</h3>}
            <Part part={part} />
          </div>
        )
      })}
      {parts.length > count && (
        <div>
          <Button size="small" onPress={() => setCount(count + step)}>
            Show more of {parts.length.toLocaleString()} parts
          </Button>
        </div>
      )}
    </Stack>
  )
}

export const ResultView = ({ media = [], output, scalar = null, schema = null }: ResultViewProps) => {
  const parts = useMemo(() => grouped(ResultParts.of(output, schema, media)), [output, schema, media])
  const [chosen, choose] = useState<"result" | "json">("result")
  const isJsonAlone = parts.length === 1 && parts[0]?.kind === "json"
  if (isJsonAlone) return <Json value={output} scalar={scalar} label="Result" />
  return (
    <Tabs
      label="Result"
      chosen={chosen}
      onChoose={choose}
      parts={[
        { id: "result", label: "Result", content: <Parts parts={parts} /> },
        { id: "json", label: "JSON", content: <Json value={output} label="Result as JSON" /> }
      ]}
    />
  )
}
