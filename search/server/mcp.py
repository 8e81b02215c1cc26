"""`SearchService` → a server of the Model Context Protocol, over stdio or as an application for HTTP.

`initialize` and `tools/list` are answered at once; the first call of a tool opens the index. An error that a caller can
cause is answered with one sentence for the agent. Questions are never logged.
"""

from __future__ import annotations

import logging
import signal
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    GetPromptRequestParams,
    GetPromptResult,
    JSONRPCError,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from starlette.responses import Response

import schema
from indexer.tokens import TokenCounter
from schema.errors import SectionaryError
from schema.memory import share_heaps
from schema.text.characters import printable, to_json
from search.server.envelopes import Refused, broken_line, id_of, readable
from search.server.pool import BusyError, WorkPool
from search.server.prompts import PROMPTS, AgentPrompt
from search.server.resources import DOCUMENT_TEMPLATE, DOCUMENTS, JSON, MARKDOWN, read_resource
from search.server.security import LOOPBACK, MAX_BODY_BYTES, given_again, read_body
from search.server.tools import INSTRUCTIONS, TOOLS, AgentTool

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import ASGIApp, Receive, Scope, Send

    from search.answers.service import SearchService

_log = logging.getLogger(__name__)

#: Time for a call, waiting included (seconds): the first one loads the model, and many clients give up after 60.
TIME_LIMIT = 45.0
#: The other hints say something of tools that write.
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RESOURCES = ListResourcesResult(
    resources=[Resource(uri=DOCUMENTS, name="documents", title="Documents of the index", mime_type=JSON)]
)
_TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            uri_template=DOCUMENT_TEMPLATE,
            name="document",
            title="A document of the index",
            description="The Markdown of a document, by its path.",
            mime_type=MARKDOWN,
        )
    ]
)
_Value = TypeVar("_Value")


class _RefusedError(SectionaryError):
    """A call could not be answered, for a reason beyond its arguments."""


def build_server(answers: SearchService, *, pool: WorkPool) -> Server[Any]:
    """Build the server over one index; the threads of `pool` do its work."""
    # below WARNING the SDK logs messages that it could not read, with their content
    logging.getLogger("mcp").setLevel(logging.WARNING)
    tools = {tool.name: tool for tool in TOOLS}
    listed = ListToolsResult(tools=[_listed(tool) for tool in TOOLS])
    counter = TokenCounter()

    async def list_tools(_context: ServerRequestContext[Any], _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listed

    async def work(what: str, call: Callable[[], _Value]) -> _Value:
        """What a call gives that runs in a thread of the pool.

        Raises:
            SectionaryError: what the caller is to be told.
        """
        try:
            return (await pool.run(call)).value
        except SectionaryError:
            raise
        except BusyError as error:
            raise _RefusedError("Too many calls are being answered; ask again in a moment.") from error
        except TimeoutError as error:
            raise _RefusedError(
                "The answer took too long and was given up; ask again in a moment, since the first question loads the model "
                '(mode "lexical" needs none).'
            ) from error
        except Exception as error:  # an error of this program must not end the connection
            # its message is not logged, since it may contain the question
            where = "".join(traceback.format_tb(error.__traceback__))
            _log.error("%s failed: %s\n%s", what, type(error).__name__, where)
            raise _RefusedError(
                "The call failed by a fault of the server, whose log says more; other calls may work."
            ) from error

    async def call_tool(_context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            name = printable(params.name)[:60]
            raise MCPError(INVALID_PARAMS, f"There is no tool {name}; the tools are {', '.join(tools)}.")
        try:
            arguments = tool.checked(params.arguments or {})
            text, answer = await work(f"the tool {tool.name}", partial(_answer, tool, answers, arguments, counter))
        except SectionaryError as error:
            return _refusal(str(error))
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)

    async def list_resources(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return _RESOURCES

    async def list_templates(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return _TEMPLATES

    async def read(_context: ServerRequestContext[Any], params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            found = await work("reading a resource", partial(read_resource, answers, params.uri, counter))
        except SectionaryError as error:
            raise MCPError(INVALID_PARAMS, printable(str(error))) from error
        return ReadResourceResult(
            contents=[TextResourceContents(uri=params.uri, mime_type=found.media_type, text=found.text)]
        )

    async def list_prompts(_context: ServerRequestContext[Any], _params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=[_listed_prompt(prompt) for prompt in PROMPTS])

    async def get_prompt(_context: ServerRequestContext[Any], params: GetPromptRequestParams) -> GetPromptResult:
        prompt = next((each for each in PROMPTS if each.name == params.name), None)
        if prompt is None:
            known = ", ".join(each.name for each in PROMPTS)
            raise MCPError(INVALID_PARAMS, f"There is no prompt {printable(params.name)[:60]}; the prompts are {known}.")
        try:
            text = prompt.filled(params.arguments or {})
        except SectionaryError as error:
            raise MCPError(INVALID_PARAMS, printable(str(error))) from error
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description=prompt.description, messages=[message])

    return Server(
        "sectionary",
        version=schema.VERSION,
        title="Sectionary",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def run_stdio(answers: SearchService, *, time_limit: float = TIME_LIMIT) -> None:
    """Answer the client at the other end of stdin and stdout until it closes them; `time_limit` is in seconds for a call.

    While this runs, whatever else is printed to stdout goes to stderr.
    """
    if threading.current_thread() is threading.main_thread():
        # a thread that waits for input cannot be interrupted in another way; nothing is lost, since nothing is written
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    share_heaps()
    try:
        anyio.run(_serve_stdio, answers, time_limit)
    except* BrokenPipeError:
        _log.info("the client has left")


class OnlyMessages:
    """The messages of the stream `incoming`; a line that is none is answered with an error in `outgoing`, under its id.

    The SDK gives such a line as an exception, which its server leaves without an answer, and a client would wait for one.
    """

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._incoming, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage:
        """The next message."""
        while isinstance(message := await self._incoming.receive(), Exception):
            error: Exception = message
            line = broken_line(error) or ""
            if (mended := readable(line)) != line:
                try:
                    return SessionMessage(jsonrpc_message_adapter.validate_json(mended, by_name=False))
                except ValidationError as another:
                    error = another
            await self._outgoing.send(SessionMessage(_no_message(error)))
        return message  # type: ignore[no-any-return]

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._incoming.__aexit__(*raised)


async def _serve_stdio(answers: SearchService, time_limit: float) -> None:
    pool = WorkPool(time_limit=time_limit)
    server = build_server(answers, pool=pool)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(OnlyMessages(incoming, outgoing), outgoing, server.create_initialization_options())
    finally:
        pool.close()


class HttpCalls:
    """ASGI application for the address that agents call; it answers inside the context `running`.

    It has no sessions and no streams: each answer is one JSON document. Refuses methods other than POST, hosts that are not
    in `hosts` (names without ports), and pages of origins that are not in `origins`.
    """

    def __init__(
        self, answers: SearchService, *, pool: WorkPool, hosts: Collection[str] = LOOPBACK, origins: Collection[str] = ()
    ) -> None:
        names = [f"[{host}]" if ":" in host else host for host in sorted(hosts)]
        self._security = TransportSecuritySettings(
            allowed_hosts=[*names, *(f"{name}:*" for name in names)], allowed_origins=sorted(origins)
        )
        self._server = build_server(answers, pool=pool)
        self._app: ASGIApp | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests inside this context; enter it in the lifespan of the application around this one."""
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=self._security,
            max_request_body_size=MAX_BODY_BYTES,
        )
        async with manager.run():
            self._app = manager.asgi_app
            try:
                yield
            finally:
                self._app = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._app is None:
            raise RuntimeError("HttpCalls answers only while running() is entered")
        if scope["type"] == "http" and scope["method"] != "POST":
            # GET asks for a stream of messages, DELETE for the end of a session: there are none
            await Response(status_code=405, headers={"allow": "POST"})(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return  # the client has left
        body = readable(body.decode("latin-1")).encode("latin-1")  # escapes are ASCII
        try:
            jsonrpc_message_adapter.validate_json(body, by_name=False)
        except ValidationError as error:
            send = Refused(send, _no_message(error).model_dump_json(by_alias=True, exclude_unset=True).encode())
        await self._app(scope, given_again(body, receive), send)


def _no_message(error: Exception) -> JSONRPCError:
    """Return the answer to what was found to be no message."""
    is_json = broken_line(error) is None
    told = ErrorData(
        code=INVALID_REQUEST if is_json else PARSE_ERROR,
        message="The message is none of JSON-RPC 2.0; send an object with jsonrpc, id and method, and an object as params."
        if is_json
        else "The message cannot be read as JSON.",
    )
    return JSONRPCError(jsonrpc="2.0", id=id_of(error), error=told)


def _listed(tool: AgentTool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        annotations=_READS,
    )


def _listed_prompt(prompt: AgentPrompt) -> Prompt:
    argument = PromptArgument(name=prompt.argument, description=prompt.argument_description, required=True)
    return Prompt(name=prompt.name, title=prompt.title, description=prompt.description, arguments=[argument])


def _answer(
    tool: AgentTool, answers: SearchService, arguments: dict[str, Any], counter: TokenCounter
) -> tuple[str, dict[str, Any]]:
    answer = tool.answer(answers, arguments, counter)
    return to_json(answer), answer


def _refusal(sentence: str) -> CallToolResult:
    """Return an error with a sentence that the agent can act on."""
    return CallToolResult(content=[TextContent(type="text", text=printable(sentence))], is_error=True)
