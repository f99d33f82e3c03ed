/** Parts of a view of which one is shown. The chosen one belongs into the URL. */
import type { ReactNode } from "react"
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components"
import classes from "./Layout.module.css"

export interface TabPart<Id extends string> {
  readonly id: Id
  readonly label: string
  readonly content: ReactNode
}

export const Tabs = <Id extends string>({
  chosen,
  label,
  onChoose,
  parts
}: {
  readonly label: string
  readonly parts: ReadonlyArray<TabPart<Id>>
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}) => (
  <AriaTabs
    className={classes["tabs"] ?? ""}
    selectedKey={chosen}
    onSelectionChange={(key) => {
      const found = parts.find(({ id }) => id === key)
      if (found !== undefined) onChoose(found.id)
    }}
  >
    <TabList aria-label={label} className={classes["tabList"] ?? ""}>
      {parts.map(({ id, label }) => (
        <Tab key={id} id={id} className={classes["tab"] ?? ""}>
          {label}
        </Tab>
      ))}
    </TabList>
    {parts.map(({ content, id }) => (
      <TabPanel key={id} id={id} className={classes["panel"] ?? ""}>
        {content}
      </TabPanel>
    ))}
  </AriaTabs>
)
