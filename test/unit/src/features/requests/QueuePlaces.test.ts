import { assert, describe, it } from "@effect/vitest"
import { RequestId } from "#domain/Ids.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as QueuePlaces from "#src/features/requests/QueuePlaces.ts"

const model = "test/limited"
const id = (number: number) => RequestId.make(String(number).padStart(21, "0"))
const at = (position: number) => GlobalPosition.GlobalPosition.make(String(position))
const read = (queued: number, position: number) => ({ queued, position: at(position) })

describe("A place in a queue", () => {
  it("is one of as many as the model allows", () => {
    const places = QueuePlaces.make()
    assert.isTrue(places.take(id(1), model, 2, read(0, 1)))
    assert.isTrue(places.isFree(model, 2, read(0, 1)))
    assert.isTrue(places.take(id(2), model, 2, read(0, 1)))
    assert.isFalse(places.isFree(model, 2, read(0, 1)))
    assert.isFalse(places.take(id(3), model, 2, read(0, 1)))
    assert.isTrue(places.take(id(3), "test/other", 2, read(0, 1)))
  })

  it("is kept until the work queue counts its request", () => {
    const places = QueuePlaces.make()
    places.take(id(1), model, 1, read(0, 1))
    places.keep(id(1), model, at(5))
    places.release(id(1), model)
    assert.isFalse(places.take(id(2), model, 1, read(0, 4)))
    assert.isFalse(places.take(id(2), model, 1, read(1, 5)))
    assert.isTrue(places.take(id(2), model, 1, read(0, 6)))
  })

  it("is not given away by a count that was read before a newer one", () => {
    const places = QueuePlaces.make()
    places.take(id(1), model, 1, read(0, 1))
    places.keep(id(1), model, at(5))
    assert.isFalse(places.isFree(model, 1, read(1, 5)))
    assert.isFalse(places.take(id(2), model, 1, read(0, 4)))
  })

  it("is shared by submits of one request, and given back by the last of them", () => {
    const places = QueuePlaces.make()
    assert.isTrue(places.take(id(1), model, 1, read(0, 1)))
    assert.isTrue(places.take(id(1), model, 1, read(0, 1)))
    places.release(id(1), model)
    assert.isFalse(places.take(id(2), model, 1, read(0, 1)))
    places.release(id(1), model)
    assert.isTrue(places.take(id(2), model, 1, read(0, 1)))
  })
})
