"""Carries connections to ports of the container's loopback over standard input and output, as frames.

A frame is a kind (one byte), the number of a connection and the length of what follows (four bytes each, the highest first):
R ready; O opened, with the port (two bytes); D data; W so many bytes of data were consumed (four bytes); E no more data; X broken off.
Neither side sends more than WINDOW bytes of a connection that the other has not consumed, so a slow one holds up no other.
Ends with its input.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import sys

HEAD = struct.Struct(">cII")
WINDOW = 262_144
MOST_CONNECTIONS = 256
PIECE = 65_536


class Connection:
    """One connection of a program in the container."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.credit = WINDOW
        self.may_send = asyncio.Event()
        self.incoming: asyncio.Queue[bytes | None] = asyncio.Queue()


class Relay:
    """All connections, and the one stream that carries them."""

    def __init__(self, output: asyncio.StreamWriter) -> None:
        self.output = output
        self.open: dict[int, Connection] = {}
        self.count = 0

    async def send(self, kind: bytes, number: int, body: bytes = b"") -> None:
        self.output.write(HEAD.pack(kind, number, len(body)) + body)
        await self.output.drain()

    async def serve(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self.open) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        self.count += 1
        number, connection = self.count, Connection(writer)
        self.open[number] = connection
        await self.send(b"O", number, struct.pack(">H", port))
        ways = [
            asyncio.create_task(way)
            for way in (self.outward(number, connection, reader), self.inward(number, connection))
        ]
        try:
            await asyncio.gather(*ways)
            writer.close()
        except OSError:
            await self.send(b"X", number)
            writer.transport.abort()
        finally:
            for way in ways:
                way.cancel()
            self.open.pop(number, None)

    async def outward(self, number: int, connection: Connection, reader: asyncio.StreamReader) -> None:
        while True:
            while connection.credit == 0:
                connection.may_send.clear()
                await connection.may_send.wait()
            data = await reader.read(min(PIECE, connection.credit))
            if not data:
                return await self.send(b"E", number)
            connection.credit -= len(data)
            await self.send(b"D", number, data)

    async def inward(self, number: int, connection: Connection) -> None:
        while (data := await connection.incoming.get()) is not None:
            connection.writer.write(data)
            await connection.writer.drain()
            await self.send(b"W", number, struct.pack(">I", len(data)))
        await connection.writer.drain()
        connection.writer.write_eof()

    def take(self, kind: bytes, number: int, body: bytes) -> None:
        connection = self.open.get(number)
        if connection is None:
            return
        if kind == b"D":
            connection.incoming.put_nowait(body)
        elif kind == b"E":
            connection.incoming.put_nowait(None)
        elif kind == b"W":
            connection.credit += struct.unpack(">I", body)[0]
            connection.may_send.set()
        elif kind == b"X":
            connection.writer.transport.abort()
            connection.incoming.put_nowait(None)


async def standard_streams() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2 * PIECE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


async def main(ports: list[int]) -> None:
    given, output = await standard_streams()
    relay = Relay(output)
    for port in ports:
        await asyncio.start_server(
            lambda reader, writer, port=port: relay.serve(port, reader, writer), "127.0.0.1", port
        )
    await relay.send(b"R", 0)
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            kind, number, length = HEAD.unpack(await given.readexactly(HEAD.size))
            relay.take(kind, number, await given.readexactly(length))


asyncio.run(main([int(port) for port in sys.argv[1:]]))
