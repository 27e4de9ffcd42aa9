import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPicture } from '../../test/support/picture.ts'
import { drawPicture } from './pictures.ts'

const owner = { name: '192.0.2.1', isKnown: false }
const draw = (svg: string) => drawPicture({ svg, withPixels: true }, owner)
const square =
  '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path fill="#f00" d="M0 0h2v2H0z"/></svg>'

test('a picture that cannot be drawn fails alone; the next one gets a new thread', async () => {
  const [first, broken, next] = await Promise.allSettled([draw(square), draw('<svg'), draw(square)])
  assert.equal(broken.status, 'rejected')
  assert.match(String(broken.status === 'rejected' && broken.reason), /A picture could not be drawn/)
  for (const drawn of [first, next]) {
    assert.ok(drawn.status === 'fulfilled')
    const { width, height, data } = readPicture(drawn.value.png)
    assert.deepEqual([width, height, ...data.subarray(0, 4)], [2, 2, 255, 0, 0, 255])
    assert.deepEqual([...drawn.value.pixels!.subarray(0, 4)], [255, 0, 0, 255])
  }
})
