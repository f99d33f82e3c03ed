/** Pictures side by side, each of which opens large. Those of other sites, which the policy does not allow, are links. */
import { useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Tile } from "#console/design/actions/Tile.tsx"
import { MediaCaption } from "./MediaCaption.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import { Picture } from "./Picture.tsx"
import { PictureViewer } from "./PictureViewer.tsx"
import classes from "./Result.module.css"
import type { MediaPart } from "./ResultParts.ts"

/** Pictures that are loaded at once, and with each step more. */
const step = 48

export const Gallery = ({ pictures }: { readonly pictures: ReadonlyArray<MediaPart> }) => {
  const origins = useMediaOrigins()
  const [open, setOpen] = useState<number | null>(null)
  const [count, setCount] = useState(step)
  const shown = pictures.slice(0, count).map((part, index) => ({
    part,
    name: part.name ?? (pictures.length === 1 ? "Picture" : `Picture ${index + 1}`),
    isShown: MediaKind.isAllowed(part.url, origins)
  }))
  const large = shown.filter(({ isShown }) => isShown)
  return (
    <>
      <div className={pictures.length === 1 ? classes["single"] : classes["gallery"]}>
        {shown.map((picture, index) => (
          // Pictures keep their places, and the same one may come twice.
          <figure key={index} className={classes["media"]}>
            {picture.isShown && (
              <Tile
                kind="picture"
                onPress={() => setOpen(large.indexOf(picture))}
                label={`Open ${picture.name} large`}
              >
                <Picture src={picture.part.url} alt={picture.name} />
              </Tile>
            )}
            <MediaCaption part={picture.part} isShown={picture.isShown} />
          </figure>
        ))}
      </div>
      {pictures.length > count && (
        <div>
          <Button size="small" onPress={() => setCount(count + step)}>
            Show more of {pictures.length.toLocaleString()} pictures
          </Button>
        </div>
      )}
      {open !== null && (
        <PictureViewer
          pictures={large.map(({ name, part }) => ({ url: part.url, name }))}
          shown={open}
          onShow={setOpen}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}
