/** A picture over the whole window: zoomed by wheel, pinch, double click and `+` `-` `0`, moved by dragging and arrows. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react"
import { Dialog, Modal, ModalOverlay } from "react-aria-components"
import { Button } from "#console/design/actions/Button.tsx"
import * as Zoom from "./Zoom.ts"
import classes from "./PictureViewer.module.css"

export interface ShownPicture {
  readonly url: string
  readonly name: string
}

/** Pixels that an arrow key moves. */
const stride = 64

export const PictureViewer = ({
  onClose,
  onShow,
  pictures,
  shown
}: {
  readonly pictures: ReadonlyArray<ShownPicture>
  readonly shown: number
  readonly onShow: (index: number) => void
  readonly onClose: () => void
}) => {
  const [zoom, setZoom] = useState(Zoom.whole)
  const stage = useRef<HTMLDivElement>(null)
  const pointers = useRef(new Map<number, Zoom.Point>())
  const picture = pictures[shown]
  useEffect(() => setZoom(Zoom.whole), [shown])

  const pointOf = ({
    clientX,
    clientY
  }: {
    readonly clientX: number
    readonly clientY: number
  }): Zoom.Point => {
    const box = stage.current?.getBoundingClientRect()
    return box === undefined
      ? { x: 0, y: 0 }
      : { x: clientX - box.x - box.width / 2, y: clientY - box.y - box.height / 2 }
  }

  // React's listeners of wheels are passive: the page would scroll or zoom, too.
  useEffect(() => {
    const element = stage.current
    if (element === null) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      setZoom((zoom) => Zoom.at(zoom, pointOf(event), Math.exp(-event.deltaY / 300)))
    }
    element.addEventListener("wheel", onWheel, { passive: false })
    return () => element.removeEventListener("wheel", onWheel)
  }, [])

  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId)
    if (before === undefined) return
    const point = pointOf(event)
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    pointers.current.set(event.pointerId, point)
    setZoom((zoom) =>
      other === undefined
        ? Zoom.moved(zoom, point.x - before.x, point.y - before.y)
        : Zoom.pinched(zoom, other, before, point)
    )
  }

  const show = (by: number) => onShow((shown + by + pictures.length) % pictures.length)

  const onKeyDown = (event: KeyboardEvent) => {
    const isLarge = zoom.scale > 1
    const actions: Readonly<Record<string, () => void>> = {
      "+": () => setZoom(Zoom.at(zoom, { x: 0, y: 0 }, 1.5)),
      "=": () => setZoom(Zoom.at(zoom, { x: 0, y: 0 }, 1.5)),
      "-": () => setZoom(Zoom.at(zoom, { x: 0, y: 0 }, 1 / 1.5)),
      "0": () => setZoom(Zoom.whole),
      ArrowLeft: () => (isLarge ? setZoom(Zoom.moved(zoom, stride, 0)) : show(-1)),
      ArrowRight: () => (isLarge ? setZoom(Zoom.moved(zoom, -stride, 0)) : show(1)),
      ArrowUp: () => setZoom(Zoom.moved(zoom, 0, stride)),
      ArrowDown: () => setZoom(Zoom.moved(zoom, 0, -stride))
    }
    const action = actions[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    action()
  }

  if (picture === undefined) return null
  return (
    <ModalOverlay
      className={classes["veil"] ?? ""}
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={classes["modal"] ?? ""}>
        <Dialog className={classes["dialog"] ?? ""} aria-label={picture.name}>
          {/* The arrow keys move and change the picture, whichever button has the focus. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div className={classes["frame"]} onKeyDown={onKeyDown}>
            {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The buttons and keys do the same. */}
            <div
              ref={stage}
              className={classes["stage"]}
              onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId)
                pointers.current.set(event.pointerId, pointOf(event))
              }}
              onPointerMove={onPointerMove}
              onPointerUp={({ pointerId }) => pointers.current.delete(pointerId)}
              onPointerCancel={({ pointerId }) => pointers.current.delete(pointerId)}
              onDoubleClick={(event) =>
                setZoom(zoom.scale > 1 ? Zoom.whole : Zoom.at(zoom, pointOf(event), 3))
              }
            >
              <img
                src={picture.url}
                alt={picture.name}
                draggable={false}
                style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
              />
            </div>
            <div className={classes["tools"]}>
              {pictures.length > 1 && (
                <>
                  <Button onPress={() => show(-1)} aria-label="Previous picture">
                    ←
                  </Button>
                  <span>
                    {shown + 1} of {pictures.length}
                  </span>
                  <Button onPress={() => show(1)} aria-label="Next picture">
                    →
                  </Button>
                </>
              )}
              <Button onPress={() => setZoom(Zoom.at(zoom, { x: 0, y: 0 }, 1 / 1.5))} aria-label="Smaller">
                −
              </Button>
              <output aria-label="Zoom">{Math.round(zoom.scale * 100)} %</output>
              <Button onPress={() => setZoom(Zoom.at(zoom, { x: 0, y: 0 }, 1.5))} aria-label="Larger">
                +
              </Button>
              <Button autoFocus onPress={onClose}>
                Close
              </Button>
            </div>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
