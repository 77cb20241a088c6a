import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

/** Prints what each call means to javac: path, line, column (1-based, 0-based), then path, line and name of its target, or `-`. */
public class Calls {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]).toRealPath();
        List<File> files = new ArrayList<>();
        try (var walk = Files.walk(root)) {
            walk.filter(p -> p.toString().endsWith(".java") && !p.toString().endsWith("-info.java")).sorted().forEach(p -> files.add(p.toFile()));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(d -> {}, null, StandardCharsets.UTF_8);
        JavacTask task = (JavacTask) compiler.getTask(new StringWriter(), manager, d -> {}, List.of("-proc:none", "-Xmaxerrs", "1000000", "--should-stop=ifError=FLOW", "-implicit:none"), null, manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        for (var u : task.parse()) units.add(u);
        task.analyze();
        Trees trees = Trees.instance(task);
        SourcePositions at = trees.getSourcePositions();
        PrintStream out = new PrintStream(new FileOutputStream(args[1]), false, "UTF-8");
        for (CompilationUnitTree unit : units) {
            String path = root.relativize(Path.of(unit.getSourceFile().toUri()).toRealPath()).toString();
            LineMap lines = unit.getLineMap();
            new TreePathScanner<Void, Void>() {
                void say(long position, Element element) {
                    if (position < 0 || element == null) return;
                    if (element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
                    TreePath target = trees.getPath(element);
                    String where = "-\t0\t" + element.getSimpleName();
                    if (target == null && element.getKind() == ElementKind.CONSTRUCTOR) target = trees.getPath(element.getEnclosingElement());
                    if (target != null) {
                        try {
                            CompilationUnitTree u = target.getCompilationUnit();
                            String p = root.relativize(Path.of(u.getSourceFile().toUri()).toRealPath()).toString();
                            long start = at.getStartPosition(u, target.getLeaf());
                            long end = at.getEndPosition(u, target.getLeaf());
                            Element named = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement() : element;
                            boolean implicit = element.getKind() == ElementKind.CONSTRUCTOR && (target.getLeaf() instanceof ClassTree || start == at.getStartPosition(u, trees.getPath(named).getLeaf()) && end == start);
                            where = p + "\t" + u.getLineMap().getLineNumber(start) + "\t" + (implicit ? "class " : "") + named.getSimpleName();
                        } catch (IOException e) { throw new UncheckedIOException(e); }
                    }
                    out.println(path + "\t" + lines.getLineNumber(position) + "\t" + (lines.getColumnNumber(position) - 1) + "\t" + where);
                }
                @Override public Void visitMethodInvocation(MethodInvocationTree node, Void v) {
                    Tree select = node.getMethodSelect();
                    Element element = trees.getElement(new TreePath(getCurrentPath(), select));
                    long position = select instanceof MemberSelectTree m ? at.getEndPosition(unit, m) - m.getIdentifier().length() : at.getStartPosition(unit, select);
                    say(position, element);
                    return super.visitMethodInvocation(node, v);
                }
                @Override public Void visitNewClass(NewClassTree node, Void v) {
                    if (node.getClassBody() == null) say(at.getStartPosition(unit, node.getIdentifier()), trees.getElement(getCurrentPath()));
                    return super.visitNewClass(node, v);
                }
            }.scan(unit, null);
        }
        out.close();
    }
}
